# Run in this folder: gnuplot replica.gp
set datafile separator ','
set encoding utf8
set border 3
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 760,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'replica.svg'
set title "Learning curve of masked Gaussian modelling\nz = 2.5, lambda = 10^{-8}, 30 realisations"
set logscale y
set xlabel 'samples per parameter alpha'
set ylabel 'loss E (x_i - w . x)^2'
set yrange [0.01:5000]
set xrange [0:4.1]
set format y '10^{%L}'
set key top right
plot 'replica_limit.csv' using 'alpha':'eg' with lines ls 1 title 'test loss, L -> infinity', \
     'replica.csv' using 'alpha':'eg_sim':'eg_sim_sem' with yerrorbars ls 1 title 'simulation, L = 400', \
     'replica_limit.csv' using 'alpha':'et' with lines ls 2 title 'training loss, L -> infinity', \
     'replica.csv' using 'alpha':'et_sim':'et_sim_sem' with yerrorbars ls 2 title 'simulation, L = 400', \
     0.4 with lines ls 3 title 'best loss 1/z'
unset output
set terminal pngcairo size 760,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'replica.png'
set title "Learning curve of masked Gaussian modelling\nz = 2.5, lambda = 10^{-8}, 30 realisations"
set logscale y
set xlabel 'samples per parameter alpha'
set ylabel 'loss E (x_i - w . x)^2'
set yrange [0.01:5000]
set xrange [0:4.1]
set format y '10^{%L}'
set key top right
plot 'replica_limit.csv' using 'alpha':'eg' with lines ls 1 title 'test loss, L -> infinity', \
     'replica.csv' using 'alpha':'eg_sim':'eg_sim_sem' with yerrorbars ls 1 title 'simulation, L = 400', \
     'replica_limit.csv' using 'alpha':'et' with lines ls 2 title 'training loss, L -> infinity', \
     'replica.csv' using 'alpha':'et_sim':'et_sim_sem' with yerrorbars ls 2 title 'simulation, L = 400', \
     0.4 with lines ls 3 title 'best loss 1/z'
unset output

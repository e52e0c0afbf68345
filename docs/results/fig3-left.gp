# Run in this folder: gnuplot fig3-left.gp
set datafile separator ','
set encoding utf8
set border 3 lw 1
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
set style line 4 lc rgb '#777777' lw 1.5 dt 4
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 900,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig3-left.svg'
set title "Learning curve of masked Gaussian modelling\nz = 2.5, lambda = 0.0001, 30 realisations"
set logscale y
set xlabel 'samples per parameter, alpha = M / (L - 1)'
set ylabel 'test loss E (x_i - w . x)^2'
set key top right
set xrange [0:4.1]
plot 'fig3-left.csv' using 'alpha':'eg_limit' with lines ls 1 title 'theory, L to infinity', \
     '' using 'alpha':'eg' with lines ls 2 dt 5 title 'theory, L = 400', \
     '' using 'alpha':'eg_sim':'eg_sim_sem' with yerrorbars ls 1 title 'simulation, L = 400, with standard errors', \
     0.4 with lines ls 3 title 'best loss 1/z'
unset output
unset multiplot
set terminal pngcairo size 900,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'fig3-left.png'
set title "Learning curve of masked Gaussian modelling\nz = 2.5, lambda = 0.0001, 30 realisations"
set logscale y
set xlabel 'samples per parameter, alpha = M / (L - 1)'
set ylabel 'test loss E (x_i - w . x)^2'
set key top right
set xrange [0:4.1]
plot 'fig3-left.csv' using 'alpha':'eg_limit' with lines ls 1 title 'theory, L to infinity', \
     '' using 'alpha':'eg' with lines ls 2 dt 5 title 'theory, L = 400', \
     '' using 'alpha':'eg_sim':'eg_sim_sem' with yerrorbars ls 1 title 'simulation, L = 400, with standard errors', \
     0.4 with lines ls 3 title 'best loss 1/z'
unset output

# Run in this folder: gnuplot consistency.gp
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
set output 'consistency.svg'
set title "Coupling error of one realisation beside the sampling limit\nL = q = 20, beta = 1, L-BFGS"
set logscale xy
set xlabel 'training sequences M'
set ylabel 'sum_{ij} (beta J_{ij} - A_{ij})^2 / L^2'
set format y '10^{%L}'
set key top right
set xrange [10000:250000]
set xtics (12500, 25000, 50000, 100000, 200000)
plot 'consistency.csv' using 'samples':'limit' with lines ls 3 title 'limit, V known: sum_i tr F_i^{-1} / (M L^2)', \
     '' using 'samples':'error_v_known' with points ls 1 title 'learned, V known', \
     '' using 'samples':'error_v_learned' with points ls 2 title 'learned, V learned'
unset output
set terminal pngcairo size 760,520 enhanced font 'Helvetica,14' background rgb 'white'
set output 'consistency.png'
set title "Coupling error of one realisation beside the sampling limit\nL = q = 20, beta = 1, L-BFGS"
set logscale xy
set xlabel 'training sequences M'
set ylabel 'sum_{ij} (beta J_{ij} - A_{ij})^2 / L^2'
set format y '10^{%L}'
set key top right
set xrange [10000:250000]
set xtics (12500, 25000, 50000, 100000, 200000)
plot 'consistency.csv' using 'samples':'limit' with lines ls 3 title 'limit, V known: sum_i tr F_i^{-1} / (M L^2)', \
     '' using 'samples':'error_v_known' with points ls 1 title 'learned, V known', \
     '' using 'samples':'error_v_learned' with points ls 2 title 'learned, V learned'
unset output
